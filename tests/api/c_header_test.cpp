// offgrid.h compiles as C and the library can be used from it: c_header_test.c is compiled by the C compiler.
#include <gtest/gtest.h>

extern "C" int offgrid_from_c(void);

TEST(CHeader, a_whole_transform_from_c) { EXPECT_EQ(offgrid_from_c(), 0); }
