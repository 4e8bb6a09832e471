#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
typedef int pid_t;
typedef long ssize_t;
typedef long long off_t;
typedef unsigned short mode_t;
typedef unsigned int uid_t;
typedef unsigned int useconds_t;
