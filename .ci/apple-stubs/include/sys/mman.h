#pragma once
#include "../types.h"
void *_Nullable mmap(void *_Nullable, size_t, int, int, int, off_t);
int munmap(void *_Nonnull, size_t);
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FAILED ((void *)-1)
