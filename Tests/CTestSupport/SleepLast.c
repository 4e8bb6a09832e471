#include "CTestSupport.h"

#if defined(__linux__)

// Like optimised code, these jump to the function that they call last, and keep no frame.
#if defined(__x86_64__)
__attribute__((naked)) void test_support_sleep_last(void) { __asm__("movl $10, %edi\n jmp sleep@PLT"); }
__attribute__((naked)) void test_support_usleep_last(void) { __asm__("movl $10000000, %edi\n jmp usleep@PLT"); }
#elif defined(__aarch64__)
__attribute__((naked)) void test_support_sleep_last(void) { __asm__("mov w0, #10\n b sleep"); }
__attribute__((naked)) void test_support_usleep_last(void) {
  __asm__("mov w0, #0x9680\n movk w0, #0x98, lsl #16\n b usleep");
}
#endif

extern void *_NSConcreteGlobalBlock[];
extern void dispatch_sync(void *queue, const void *block);

void test_support_sync_that_sleeps_last(void *queue) {
  static const unsigned long description[] = {0, 32};  // reserved, and the size of the block
  enum { is_global = 1 << 28 };
  static const struct {
    void *type;
    int flags, reserved;
    void (*call)(void);
    const void *description;
  } block = {_NSConcreteGlobalBlock, is_global, 0, test_support_usleep_last, description};
  dispatch_sync(queue, &block);
}

#endif
