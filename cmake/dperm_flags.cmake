add_library(dperm_flags INTERFACE)
target_compile_features(dperm_flags INTERFACE cxx_std_20)
target_compile_options(dperm_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
  $<$<BOOL:${DPERM_WARNINGS_AS_ERRORS}>:-Werror>
  # Views of texts that are gone: clang sees them, g++ 12 does not.
  $<$<CXX_COMPILER_ID:Clang>:-Werror=dangling>
  # Sums must be the same integers on every machine: no fused multiply-add behind our back.
  -ffp-contract=off -fno-math-errno)
if(DPERM_SANITIZE)
  target_compile_definitions(dperm_flags INTERFACE _GLIBCXX_ASSERTIONS)  # an index past a container's end, front() of none
  target_compile_options(dperm_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # g++ 12 gives false alarms under sanitizers
  target_link_options(dperm_flags INTERFACE -fsanitize=address,undefined)
endif()
if(DPERM_SANITIZE_THREADS)
  target_compile_options(dperm_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(dperm_flags INTERFACE -fsanitize=thread)
endif()
if(DPERM_FUZZ)
  target_compile_options(dperm_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
