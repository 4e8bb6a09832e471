#pragma once
#include "types.h"
void *_Nonnull memcpy(void *_Nonnull, const void *_Nonnull, size_t);
void *_Nonnull memset(void *_Nonnull, int, size_t);
int memcmp(const void *_Nonnull, const void *_Nonnull, size_t);
void *_Nullable memchr(const void *_Nonnull, int, size_t);
void *_Nullable memmem(const void *_Nonnull, size_t, const void *_Nonnull, size_t);
size_t strlen(const char *_Nonnull);
size_t strnlen(const char *_Nonnull, size_t);
size_t strcspn(const char *_Nonnull, const char *_Nonnull);
char *_Nonnull strncat(char *_Nonnull, const char *_Nonnull, size_t);
char *_Nonnull strncpy(char *_Nonnull, const char *_Nonnull, size_t);
int strncmp(const char *_Nonnull, const char *_Nonnull, size_t);
int strcmp(const char *_Nonnull, const char *_Nonnull);
char *_Nullable strstr(const char *_Nonnull, const char *_Nonnull);
