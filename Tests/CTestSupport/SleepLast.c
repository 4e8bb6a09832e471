#include "CTestSupport.h"

#if defined(__linux__)

// As an optimising compiler makes them: they jump to the last function that they call.
#if defined(__x86_64__)
__attribute__((naked)) void test_support_sleep_last(void) { __asm__("movl $10, %edi\n jmp sleep@PLT"); }
__attribute__((naked)) void test_support_usleep_last(void) { __asm__("movl $10000000, %edi\n jmp usleep@PLT"); }
#elif defined(__aarch64__)
__attribute__((naked)) void test_support_sleep_last(void) { __asm__("mov w0, #10\n b sleep"); }
__attribute__((naked)) void test_support_usleep_last(void) {
  __asm__("mov w0, #0x9680\n movk w0, #0x98, lsl #16\n b usleep");
}
#endif

#endif
