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
-- GSL, libzip, GMP, FLINT and readline are found by CMake, which says what is missing and how to install it
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    HAMEL_LUA_DIR = "$(LUADIR)",
    HAMEL_LUA_CDIR = "$(LIBDIR)",
    BUILD_TESTING = "OFF",
    HAMEL_MODULE_ONLY = "ON",
    HAMEL_JUPYTER = "OFF",
  },
}
