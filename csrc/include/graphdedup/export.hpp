// Which names leave the library.
#pragma once

#if defined(GRAPHDEDUP_STATIC)
#define GRAPHDEDUP_EXPORT
#else
// The same on both sides: an ELF consumer needs default visibility to share type information of exceptions.
#define GRAPHDEDUP_EXPORT __attribute__((visibility("default")))
#endif
