# Finds cuda.h and defines the INTERFACE target graphdedup::cuda_headers. Headers only: nothing of CUDA is ever linked.
#
# Searched in this order, the first that is new enough wins:
#   1. GRAPHDEDUP_CUDA_INCLUDE_DIR
#   2. the wheels nvidia-cuda-runtime-cu12 and nvidia-cuda-runtime of the Python that runs the build
#   3. a toolkit: CUDA_HOME, CUDA_PATH, /usr/local/cuda, the folder above nvcc's

set(GRAPHDEDUP_CUDA_INCLUDE_DIR "" CACHE PATH "Folder with cuda.h; empty to search for it")
set(GRAPHDEDUP_CUDA_MINIMUM 12040)

# Sets `result` to the CUDA_VERSION that `folder`/cuda.h defines, 0 where there is none.
function(graphdedup_read_cuda_version folder result)
  set(version 0)
  if(EXISTS "${folder}/cuda.h")
    file(STRINGS "${folder}/cuda.h" line REGEX "^#define[ \t]+CUDA_VERSION[ \t]+[0-9]+" LIMIT_COUNT 1)
    if(line MATCHES "([0-9]+)[ \t]*$")
      set(version "${CMAKE_MATCH_1}")
    endif()
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# Appends to `result` the header folders of the wheels that the build's Python sees.
function(graphdedup_list_wheel_headers result)
  set(python "${Python_EXECUTABLE}")
  if(NOT python)
    find_program(GRAPHDEDUP_PYTHON NAMES python3 python)
    mark_as_advanced(GRAPHDEDUP_PYTHON)
    set(python "${GRAPHDEDUP_PYTHON}")
  endif()
  if(NOT python)
    return()
  endif()
  execute_process(
    COMMAND "${python}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/find_cuda_wheel.py"
    OUTPUT_VARIABLE folders
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET
    RESULT_VARIABLE status)
  if(status EQUAL 0)
    string(REPLACE "\n" ";" folders "${folders}")
    set(${result} ${${result}} ${folders} PARENT_SCOPE)
  endif()
endfunction()

function(graphdedup_find_cuda_headers result)
  if(GRAPHDEDUP_CUDA_INCLUDE_DIR)
    set(folders "${GRAPHDEDUP_CUDA_INCLUDE_DIR}")
  else()
    set(folders "")
    graphdedup_list_wheel_headers(folders)
    foreach(root IN ITEMS "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" "/usr/local/cuda")
      if(root)
        list(APPEND folders "${root}/include")
      endif()
    endforeach()
    find_program(GRAPHDEDUP_NVCC nvcc)
    mark_as_advanced(GRAPHDEDUP_NVCC)
    if(GRAPHDEDUP_NVCC)
      file(REAL_PATH "${GRAPHDEDUP_NVCC}" nvcc)
      get_filename_component(nvcc_folder "${nvcc}" DIRECTORY)
      list(APPEND folders "${nvcc_folder}/../include")
    endif()
  endif()

  set(tried "")
  foreach(folder IN LISTS folders)
    graphdedup_read_cuda_version("${folder}" version)
    if(version GREATER_EQUAL GRAPHDEDUP_CUDA_MINIMUM)
      message(STATUS "graphdedup: cuda.h of CUDA ${version} in ${folder}")
      set(${result} "${folder}" PARENT_SCOPE)
      return()
    elseif(version EQUAL 0)
      string(APPEND tried "\n  ${folder}: no cuda.h")
    else()
      string(APPEND tried "\n  ${folder}: CUDA_VERSION is ${version}")
    endif()
  endforeach()
  message(
    FATAL_ERROR
      "graphdedup needs cuda.h of CUDA 12.4 or newer (CUDA_VERSION >= ${GRAPHDEDUP_CUDA_MINIMUM}) and found none. "
      "Run \"pip install 'nvidia-cuda-runtime-cu12>=12.4'\" (headers only, no GPU needed), set CUDA_HOME to a toolkit, "
      "or pass -DGRAPHDEDUP_CUDA_INCLUDE_DIR=<folder with cuda.h>. Looked at:${tried}")
endfunction()

if(NOT TARGET graphdedup::cuda_headers)
  graphdedup_find_cuda_headers(_cuda_include_dir)
  add_library(graphdedup_cuda_headers INTERFACE)
  add_library(graphdedup::cuda_headers ALIAS graphdedup_cuda_headers)
  target_include_directories(graphdedup_cuda_headers SYSTEM INTERFACE "${_cuda_include_dir}")
endif()
