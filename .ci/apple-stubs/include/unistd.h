#pragma once
#include "types.h"
ssize_t write(int, const void *_Nonnull, size_t);
ssize_t read(int, void *_Nonnull, size_t);
int close(int);
int unlink(const char *_Nonnull);
int ftruncate(int, off_t);
pid_t getpid(void);
int isatty(int);
int usleep(useconds_t);
unsigned int sleep(unsigned int);
long sysconf(int);
void _exit(int) __attribute__((noreturn));
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
