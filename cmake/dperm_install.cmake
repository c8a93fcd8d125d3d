# libdperm with the public API (the headers right in dperm/) and the package that find_package(dperm) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The public headers, and what they include from the rooms; none of them needs a header of another library.
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/public_headers.py ${PROJECT_SOURCE_DIR}
                OUTPUT_VARIABLE DPERM_INSTALLED_HEADERS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" DPERM_INSTALLED_HEADERS "${DPERM_INSTALLED_HEADERS}")
file(GLOB DPERM_PUBLIC_HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/dperm/*.hpp)

get_property(ROOMS GLOBAL PROPERTY DPERM_ROOMS)
file(GLOB API_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dperm/api/*.cpp)
list(FILTER API_SOURCES EXCLUDE REGEX "_test\\.cpp$")
# The API itself, for the shared library and for the extension module of the Python package.
add_library(dperm_api OBJECT ${API_SOURCES})
target_include_directories(dperm_api PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
set_target_properties(dperm_api PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
target_link_libraries(dperm_api PRIVATE dperm_flags ${ROOMS})
add_library(dperm_library SHARED $<TARGET_OBJECTS:dperm_api>)
add_library(dperm::dperm ALIAS dperm_library)
set_target_properties(dperm_library PROPERTIES
  OUTPUT_NAME dperm EXPORT_NAME dperm VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} CXX_EXTENSIONS OFF
  VERIFY_INTERFACE_HEADER_SETS ON)
target_compile_features(dperm_library PUBLIC cxx_std_20)
target_sources(dperm_library PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${DPERM_PUBLIC_HEADERS})
target_include_directories(dperm_library PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_link_libraries(dperm_library PRIVATE dperm_flags ${ROOMS})

install(TARGETS dperm_library EXPORT dpermTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(header ${DPERM_INSTALLED_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(EXPORT dpermTargets NAMESPACE dperm:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dperm)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/dpermConfig.cmake
     "include(\"\${CMAKE_CURRENT_LIST_DIR}/dpermTargets.cmake\")\n")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/dpermConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dpermConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/dpermConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dperm)
