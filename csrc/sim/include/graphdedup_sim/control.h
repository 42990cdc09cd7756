/* Control of the simulated driver: its behaviour, its faults, and what it has seen.
 *
 * A C interface, found with dlsym in the library that is also loaded as the driver. Functions that can fail return 0 for
 * success and -1 for a bad argument, and then have changed nothing; others say what they return. All may be called from any
 * thread at any time, gdsim_reset aside. Handles of CUDA (CUgraph, CUstream, ...) are passed as uintptr_t, addresses in device
 * memory as uint64_t. Sizes are bytes. Symbols are named as in csrc/src/driver/symbols.def ("cuGraphLaunch", no suffix).
 */
#ifndef GRAPHDEDUP_SIM_CONTROL_H
#define GRAPHDEDUP_SIM_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GDSIM_API __attribute__((visibility("default")))
#else
#define GDSIM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface: raised when a struct or the meaning of a function changes. */
#define GDSIM_VERSION 1
GDSIM_API int gdsim_version(void);

/* ---- Profiles ---------------------------------------------------------------------------------------------------------- */

/* How a driver and its devices behave. In masks of launch attributes bit i stands for id i (CUlaunchAttributeID). */
typedef struct gdsim_profile {
    char name[32];        /* appears in the device name */
    char device_name[32]; /* "H200": cuDeviceGetName says "Simulated H200 (<name>)" */
    int driver_version;   /* cuDriverGetVersion */
    int device_count;     /* 1 to 16 */
    int compute_capability_major;
    int compute_capability_minor;
    uint64_t readable_attributes;  /* ids that can be read from, and set on, a kernel node */
    uint64_t stale_attributes;     /* ids whose change an accepted update does not apply */
    int stale_static_cluster;      /* not 0: nor does it notice that a new function has no static cluster shape */
    int honours_preferred_cluster; /* not 0: kernels with a cluster run with attribute 11, where it is set */
    int refusal_is_partial;        /* not 0: a refused update has applied the nodes before the offender */
    int keeps_exec_memory;         /* not 0: memory of destroyed executables is only reused, never given back */
    uint64_t device_memory_bytes;  /* of each device: the limit for allocations and executables together */
    uint64_t exec_base_bytes;      /* device memory of an executable, plus ... */
    uint64_t exec_node_bytes;      /* ... this for each node, those of child graphs included */
} gdsim_profile;

/* Known by name:
 *   driver580-h200  as measured: updates leave cluster shape, preferred cluster and cluster scheduling policy as they were;
 *                   the preferred cluster can be neither read nor set on a node, and has no effect
 *   driver580-b200  the same, but a preferred cluster that was captured takes effect
 *   clean           updates apply everything; the preferred cluster can be read and set, and takes effect
 */
GDSIM_API size_t gdsim_profile_count(void);
GDSIM_API const char* gdsim_profile_name(size_t index); /* null when out of range */
GDSIM_API int gdsim_profile_get(const char* name, gdsim_profile* profile);

/* Back to the state of a fresh process: handles are stale, memory is gone, faults, counters and log are empty, cuInit has to
 * be called again. Destroy callbacks of user objects are not called. No other thread may be in the library. The library starts
 * as after gdsim_reset("driver580-h200"), or the profile named by the environment variable GDSIM_PROFILE. */
GDSIM_API int gdsim_reset(const char* profile_name);
GDSIM_API int gdsim_reset_to(const gdsim_profile* profile);

/* The profile in force, and changes to it. gdsim_set_profile keeps all state; it ignores a changed device_count. */
GDSIM_API int gdsim_get_profile(gdsim_profile* profile);
GDSIM_API int gdsim_set_profile(const gdsim_profile* profile);
GDSIM_API void gdsim_set_stale_attributes(uint64_t mask);
GDSIM_API void gdsim_set_stale_static_cluster(int on);
GDSIM_API void gdsim_set_readable_attributes(uint64_t mask);
GDSIM_API void gdsim_set_honours_preferred_cluster(int on);
GDSIM_API void gdsim_set_refusal_is_partial(int on);
GDSIM_API int gdsim_set_memory_limit(uint64_t bytes); /* gdsim_profile.device_memory_bytes */

/* ---- Other behaviour --------------------------------------------------------------------------------------------------- */

/* New objects take the handle value that an object of their kind had freed last. Off at reset. */
GDSIM_API void gdsim_set_handle_reuse(int on);

/* A hidden symbol is not found by cuGetProcAddress. Reset shows all. */
GDSIM_API int gdsim_hide_symbol(const char* symbol, int hidden);

/* Whether `symbol` spoils a stream capture in progress (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, capture invalidated), by the
 * rules of cuThreadExchangeStreamCaptureMode. On at reset: cuMemAlloc, cuMemFree, cuMemAllocHost, cuMemFreeHost, cuMemcpyHtoD,
 * cuMemcpyDtoH, cuMemsetD8, cuModuleLoadData, cuModuleUnload, cuCtxSynchronize, cuGraphInstantiateWithParams,
 * cuGraphExecDestroy. */
GDSIM_API int gdsim_forbid_during_capture(const char* symbol, int forbidden);

/* On at reset: work that touches device memory that is not allocated makes every later call fail with
 * CUDA_ERROR_ILLEGAL_ADDRESS, as a real fault does. Off: such work is logged and left out. */
GDSIM_API void gdsim_set_address_checks(int on);

/* Held: launches are accepted but do not run; the log says what they will run. They run, in order, when a call waits for the
 * device (the synchronize calls, cuMemcpyHtoD and DtoH, cuMemsetD8, cuMemFree) or when the hold ends. Not held: they run
 * before cuGraphLaunch returns, on its thread. */
GDSIM_API void gdsim_set_launches_held(int held);
GDSIM_API uint64_t gdsim_held_launch_count(void);

/* Time for which every call that is given a graph or an executable lingers before it does its work: makes overlapping uses of
 * one object by two threads, counted as misuse, certain to be seen. 0 at reset. */
GDSIM_API void gdsim_set_call_delay_us(uint64_t microseconds);

/* Holds calls of `symbol` by other threads than the one that sets this (held), until it is set to 0 or the simulation is reset:
 * such a call has marked the graph and executable it was given as in use, and has done nothing yet. gdsim_wait_for_held_call
 * returns when a call is held, so that a test can place its next step into the middle of that call. */
GDSIM_API int gdsim_set_calls_held(const char* symbol, int held);
GDSIM_API void gdsim_wait_for_held_call(void);

/* ---- Faults ------------------------------------------------------------------------------------------------------------ */

/* Fails calls of `symbol` with `status` (a CUresult), from the nth call from now on (1 is the next), `count` times (0: for
 * ever). A failing call does nothing and leaves its outputs unwritten. Several faults of one symbol may be in force. */
GDSIM_API int gdsim_fail_call(const char* symbol, uint64_t nth, uint64_t count, int status);
GDSIM_API void gdsim_clear_faults(void); /* these, the refusals and the sticky error */

/* Refuses every nth cuGraphExecUpdate from now on (0: none) with 910 and `reason`, a CUgraphExecUpdateResult. */
GDSIM_API void gdsim_refuse_every_nth_update(uint64_t nth, int reason);

/* From now on every call returns `status`, the texts of errors aside; 0 ends it. 4: the driver shuts down. 700: sticky. */
GDSIM_API void gdsim_set_sticky_error(int status);

/* ---- What was seen ----------------------------------------------------------------------------------------------------- */

typedef struct gdsim_counters {
    uint64_t live_graph_count; /* child graphs and bodies of conditionals included */
    uint64_t live_node_count;
    uint64_t live_exec_count;
    uint64_t live_user_object_count;
    uint64_t live_allocation_count;
    uint64_t live_module_count;
    uint64_t live_stream_count;
    uint64_t live_event_count;
    uint64_t instantiation_count; /* that succeeded */
    uint64_t update_count;        /* calls of cuGraphExecUpdate that were judged: accepted and refused */
    uint64_t refused_update_count;
    uint64_t upload_count;
    uint64_t launch_count;                /* of graphs, accepted */
    uint64_t launch_without_upload_count; /* of these, launches that had to upload first */
    uint64_t misuse_count;
    uint64_t live_exec_bytes;
    uint64_t peak_exec_bytes;
    uint64_t live_allocation_bytes;
} gdsim_counters;

GDSIM_API int gdsim_get_counters(gdsim_counters* counters);

/* Calls of one symbol since the reset, failed ones included. 0 for an unknown name. */
GDSIM_API uint64_t gdsim_call_count(const char* symbol);

/* Misuse that a real driver would answer with undefined behaviour: use of a stale handle, a double destroy, one object used by
 * two threads at once, a launch of an unloaded function, work on freed memory. Text of the last one, "" if there was none;
 * returns its length without the final null, and writes as much as fits. */
GDSIM_API size_t gdsim_last_misuse(char* buffer, size_t size_bytes);

/* ---- Launch log -------------------------------------------------------------------------------------------------------- */

/* One node that runs, with what it really runs. Fields that do not belong to the kind of node are zero. */
typedef struct gdsim_record {
    uint64_t launch_index; /* of cuGraphLaunch and cuLaunchKernelEx together, from 0 */
    uint64_t exec_id;      /* never reused; 0 for cuLaunchKernelEx */
    uintptr_t stream;
    int device;        /* of the stream */
    int depth;         /* 0, or how deep in child graphs and conditionals */
    int node_kind;     /* CUgraphNodeType */
    int after_upload;  /* not 0: the executable had been uploaded since it was made or last changed */
    size_t node_index; /* in its graph, in the order of creation */
    /* kernels */
    const char* function_name; /* this and `arguments`: valid until the log is cleared */
    uintptr_t function;        /* CUfunction or CUkernel */
    unsigned int grid[3];
    unsigned int block[3];
    unsigned int shared_memory_bytes;
    unsigned int cluster[3]; /* the effective shape; 0, 0, 0: no cluster */
    int cluster_scheduling_policy;
    int cooperative;
    int priority;
    const void* arguments;
    size_t arguments_size_bytes;
    /* copies and fills */
    uint64_t source;
    uint64_t destination;
    int source_memory_type; /* CUmemorytype */
    int destination_memory_type;
    unsigned int value;
    unsigned int element_size_bytes;
    size_t pitch_bytes;
    size_t width; /* copies: bytes; fills: elements */
    size_t height;
    size_t depth_count;
    /* host functions, events */
    uintptr_t host_function;
    uintptr_t user_data;
    uintptr_t event;
} gdsim_record;

GDSIM_API size_t gdsim_log_count(void);
GDSIM_API int gdsim_log_get(size_t index, gdsim_record* record);
GDSIM_API size_t gdsim_log_arguments(size_t index, void* buffer, size_t size_bytes); /* copies what fits, returns the size */
GDSIM_API void gdsim_log_clear(void);

/* Off: launches are carried out but not logged, for long runs. On at reset. */
GDSIM_API void gdsim_set_log_enabled(int on);

/* ---- Objects ----------------------------------------------------------------------------------------------------------- */

/* Not a CUfunction_attribute: a function with it launches or updates kernels from the device. */
#define GDSIM_FUNCTION_LAUNCHES_FROM_DEVICE 10000

/* A function that belongs to no module, in the current context: a CUfunction, or a CUkernel if `as_kernel` is not 0. The
 * attributes (CUfunction_attribute) not given are those of a plain kernel. 0 for a bad argument. */
GDSIM_API uintptr_t gdsim_function_create(const char* name, const size_t* param_offsets, const size_t* param_sizes,
                                          size_t param_count, const int* attribute_ids, const int* attribute_values,
                                          size_t attribute_count, int as_kernel);

/* Makes a function of gdsim_function_create, or of a module, stale, as unloading its module does. */
GDSIM_API int gdsim_function_destroy(uintptr_t function);

/* Sets a launch attribute of a kernel node, 64 bytes, whether or not the profile lets it be read or set. */
GDSIM_API int gdsim_node_set_attribute(uintptr_t node, int id, const void* value);

/* A second context on a device, as cuCtxCreate makes one, not made current. 0 for a bad ordinal. */
GDSIM_API uintptr_t gdsim_context_create(int ordinal);

/* References that anyone holds on a user object; 0 when it is gone. */
GDSIM_API uint64_t gdsim_user_object_reference_count(uintptr_t object);

GDSIM_API uint64_t gdsim_exec_id(uintptr_t exec);         /* 0 for a stale handle */
GDSIM_API uint64_t gdsim_exec_size_bytes(uintptr_t exec); /* 0 for a stale handle */
GDSIM_API uint64_t gdsim_exec_flags(uintptr_t exec);      /* 0 for a stale handle */

#ifdef __cplusplus
}
#endif

#endif
