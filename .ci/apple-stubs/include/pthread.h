#pragma once
#include "types.h"
struct _opaque_pthread_t;
typedef struct _opaque_pthread_t *pthread_t;
typedef unsigned long pthread_key_t;
pthread_t _Nonnull pthread_self(void);
int pthread_main_np(void);
int pthread_threadid_np(pthread_t _Nullable, uint64_t *_Nullable);
int pthread_key_create(pthread_key_t *_Nonnull, void (*_Nullable)(void *_Nonnull));
void *_Nullable pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void *_Nullable);
