#pragma once
#include "types.h"
typedef unsigned int sigset_t;
typedef struct __siginfo {
  int si_signo, si_errno, si_code;
  pid_t si_pid;
  uid_t si_uid;
  int si_status;
  void *_Nullable si_addr;
} siginfo_t;
union __sigaction_u {
  void (*_Nullable __sa_handler)(int);
  void (*_Nullable __sa_sigaction)(int, struct __siginfo *_Nullable, void *_Nullable);
};
struct sigaction {
  union __sigaction_u __sigaction_u;
  sigset_t sa_mask;
  int sa_flags;
};
#define sa_handler __sigaction_u.__sa_handler
#define sa_sigaction __sigaction_u.__sa_sigaction
int sigaction(int, const struct sigaction *_Nullable, struct sigaction *_Nullable);
int sigemptyset(sigset_t *_Nonnull);
int sigfillset(sigset_t *_Nonnull);
int sigaddset(sigset_t *_Nonnull, int);
int sigismember(const sigset_t *_Nonnull, int);
int raise(int);
int kill(pid_t, int);
#define NSIG 32
#define SIG_DFL ((void (*)(int))0)
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGWINCH 28
#define SA_ONSTACK 0x0001
#define SA_RESTART 0x0002
#define SA_RESETHAND 0x0004
#define SA_NODEFER 0x0010
#define SA_SIGINFO 0x0040
#define SI_USER 0x10001
#define SI_QUEUE 0x10002
