#pragma once
#include "types.h"
typedef struct dl_info {
  const char *_Nullable dli_fname;
  void *_Nullable dli_fbase;
  const char *_Nullable dli_sname;
  void *_Nullable dli_saddr;
} Dl_info;
int dladdr(const void *_Nonnull, Dl_info *_Nonnull);
void *_Nullable dlsym(void *_Nullable handle, const char *_Nonnull symbol);
void *_Nullable dlopen(const char *_Nullable path, int mode);
#define RTLD_LAZY 1
#define RTLD_NEXT ((void *)-1)
#define RTLD_DEFAULT ((void *)-2)
