// _core.Gram: a Gram operator of the C interface that takes addresses and streams as numbers.
#pragma once

#include <nanobind/nanobind.h>

void bind_gram(nanobind::module_& module);
