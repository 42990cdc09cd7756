// What the memory holds after a graph has run as specified.
#pragma once

#include "graph_spec.hpp"
#include "memory.hpp"

namespace graphdedup::conformance {

// Adds what the nodes of `spec` leave behind.
void add_effects(const graph_spec& spec, image& into);

[[nodiscard]] inline image expected(const graph_spec& spec) {
    image made;
    add_effects(spec, made);
    return made;
}

// The functions of host nodes: each writes its own tag to the address that it is given.
void CUDA_CB write_first_tag(void* slot);
void CUDA_CB write_second_tag(void* slot);

}  // namespace graphdedup::conformance
