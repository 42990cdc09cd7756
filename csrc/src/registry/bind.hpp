// The context of a registry.
#pragma once

#include "registry/state.hpp"

namespace graphdedup {

// Binds the registry to its context at the first graph; later calls do nothing. Wants the registry's mutex held. Throws
// driver_error; the registry stays unbound then.
void bind_context(registry::impl& r, const driver_layer::call_site& site);
// Gives back what bind_context took. Never throws.
void unbind_context(registry::impl& r) noexcept;

}  // namespace graphdedup
