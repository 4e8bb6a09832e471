#pragma once
#include "types.h"
typedef struct __sFILE FILE;
extern FILE *_Nonnull __stdoutp;
extern FILE *_Nonnull __stderrp;
#define stdout __stdoutp
#define stderr __stderrp
int fflush(FILE *_Nullable);
int fprintf(FILE *_Nonnull, const char *_Nonnull, ...);
int fputs(const char *_Nonnull, FILE *_Nonnull);
int snprintf(char *_Nullable, size_t, const char *_Nonnull, ...);
int remove(const char *_Nonnull);
int rename(const char *_Nonnull, const char *_Nonnull);
