# The wheel from a build folder: its component python beside the package, the program among the scripts.
set(DPERM_INSTALL "${CMAKE_COMMAND}" --install "${DPERM_PREBUILT}")
install(CODE "
  execute_process(COMMAND ${DPERM_INSTALL} --component python --prefix \"${SKBUILD_PLATLIB_DIR}\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${DPERM_INSTALL} --component python_program --prefix \"${SKBUILD_SCRIPTS_DIR}\" COMMAND_ERROR_IS_FATAL ANY)
" COMPONENT python)
