#include "CTestSupport.h"

static void *pointer;

void test_support_set_pointer(void *new_pointer) { pointer = new_pointer; }
void *test_support_pointer(void) { return pointer; }
