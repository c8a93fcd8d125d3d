# The libraries dperm is built on (ARCHITECTURE.md lists why each). Debian's packages, except Arrow: where the
# system has no Arrow C++, the one inside the pyarrow wheel of .venv is used.
find_package(PkgConfig REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Boost 1.74 REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(mpfr REQUIRED IMPORTED_TARGET mpfr)
pkg_check_modules(gmp REQUIRED IMPORTED_TARGET gmp)
find_path(KISSFFT_INCLUDE_DIR kissfft/kissfft.hh REQUIRED)  # header only; Debian's library itself is float
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
if(NOT SKBUILD AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")  # pip brings its own
  set(Python3_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python")  # tests may need what tools/requirements.txt lists
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(DPERM_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

if(NOT SKBUILD)  # a wheel uses the Arrow that its users have anyway
  find_package(Arrow QUIET)
  find_package(Parquet QUIET)
endif()
if(Arrow_FOUND AND Parquet_FOUND)
  add_library(dperm_arrow INTERFACE)
  target_link_libraries(dperm_arrow INTERFACE Arrow::arrow_shared Parquet::parquet_shared)
else()
  if(NOT PYARROW_DIR)  # may be given: the Arrow of another environment
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import importlib.util as u; print(*u.find_spec('pyarrow').submodule_search_locations)"
                    OUTPUT_VARIABLE PYARROW_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT PYARROW_DIR)
    message(FATAL_ERROR "Arrow C++ not found: neither a system package nor .venv with pyarrow. Run 'make setup'.")
  endif()
  file(GLOB ARROW_LIBRARY "${PYARROW_DIR}/libarrow.so.[0-9]*")
  file(GLOB PARQUET_LIBRARY "${PYARROW_DIR}/libparquet.so.[0-9]*")
  add_library(dperm_arrow INTERFACE)
  target_include_directories(dperm_arrow SYSTEM INTERFACE "${PYARROW_DIR}/include")
  target_link_libraries(dperm_arrow INTERFACE "${ARROW_LIBRARY}" "${PARQUET_LIBRARY}")
  set(CMAKE_BUILD_RPATH "${PYARROW_DIR}")
  if(NOT SKBUILD)
    set(CMAKE_INSTALL_RPATH "${PYARROW_DIR}")
  endif()
endif()
