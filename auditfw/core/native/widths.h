/* Includes the file FOR_EACH_WIDTH once for each width of character: CH its type, W its number, F(name) its names. */
#define CH Py_UCS1
#define W 0
#define F(name) name##_one
#include "next.h"
#include FOR_EACH_WIDTH
#undef CH
#undef W
#undef F
#define CH Py_UCS2
#define W 1
#define F(name) name##_two
#include "next.h"
#include FOR_EACH_WIDTH
#undef CH
#undef W
#undef F
#define CH Py_UCS4
#define W 2
#define F(name) name##_four
#include "next.h"
#include FOR_EACH_WIDTH
