// Nothing to call: what is here happens when a process with tests begins.
#pragma once
