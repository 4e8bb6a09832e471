#pragma once
#include "types.h"
int open(const char *_Nonnull, int, ...);
#define O_RDONLY 0x0000
#define O_RDWR 0x0002
#define O_CREAT 0x0200
#define O_TRUNC 0x0400
#define O_CLOEXEC 0x01000000
