// What differs between versions of the API in the answers about images, in one table (surface §3). Minor numbers.

/** Below: `filter=GLOB` is a reference filter. */
export const WITHOUT_FILTER_PARAMETER: i32 = 25;
/** From here on `shared-size` is looked at. */
export const WITH_SHARED_SIZE: i32 = 42;
/** Below: a list item without tags and digests has `<none>` in both, and null where only one is missing. */
export const WITHOUT_PLACEHOLDERS: i32 = 43;
/** Below: `VirtualSize`, and inspect's `Created` even where there is none. */
export const WITHOUT_VIRTUAL_SIZE: i32 = 44;
/** Below: inspect has `Container` and `ContainerConfig`. */
export const WITHOUT_CONTAINER_CONFIG: i32 = 45;
/** Below: `Config` has the fields that only containers use. */
export const WITHOUT_CONTAINER_FIELDS: i32 = 50;
/** Below: the list's `Containers` is -1. */
export const WITH_CONTAINER_COUNT: i32 = 51;
/** From here on empty texts and lists are left out of inspect. */
export const WITHOUT_EMPTY_FIELDS: i32 = 52;
/** From here on `identity` is looked at. */
export const WITH_IDENTITY: i32 = 54;
