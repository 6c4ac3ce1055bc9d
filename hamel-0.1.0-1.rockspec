rockspec_format = "3.0"
package = "hamel"
version = "0.1.0-1"
source = { url = "." }
description = {
  summary = "Analytical dynamics: constrained, nonholonomic and one-sided systems",
  detailed = "Systems as papers write them, equations in classical forms, integration at the speed of C.",
  license = "GPL-3.0-or-later",
}
dependencies = { "lua >= 5.4, < 5.5" }
external_dependencies = {
  GSL = { header = "gsl/gsl_errno.h", library = "gsl" },
  LIBZIP = { header = "zip.h", library = "zip" },
  GMP = { header = "gmp.h", library = "gmp" },
  FLINT = { header = "flint/flint.h", library = "flint" },
}
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    HAMEL_LUA_DIR = "$(LUADIR)",
    HAMEL_LUA_CDIR = "$(LIBDIR)",
    BUILD_TESTING = "OFF",
  },
}
