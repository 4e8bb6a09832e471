#pragma once
#include "types.h"
void *_Nullable malloc(size_t);
void *_Nullable calloc(size_t, size_t);
void *_Nullable realloc(void *_Nullable, size_t);
void free(void *_Nullable);
int atexit(void (*_Nonnull)(void));
void exit(int) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
int abs(int);
int atoi(const char *_Nonnull);
char *_Nullable getenv(const char *_Nonnull);
int setenv(const char *_Nonnull, const char *_Nonnull, int);
int unsetenv(const char *_Nonnull);
#define EXIT_FAILURE 1
#define EXIT_SUCCESS 0
