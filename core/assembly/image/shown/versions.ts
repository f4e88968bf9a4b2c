// Differences between API versions in answers about images, in one table (surface §3). Minor version numbers.

/** Before: `filter=GLOB` is a reference filter. */
export const WITHOUT_FILTER_PARAMETER: i32 = 25;
/** From here on, `shared-size` is recognised. */
export const WITH_SHARED_SIZE: i32 = 42;
/** Before: a list item without tags and digests has `<none>` in both, and null if only one of them is missing. */
export const WITHOUT_PLACEHOLDERS: i32 = 43;
/** Before: `VirtualSize` exists, and inspect has `Created` even without a value. */
export const WITHOUT_VIRTUAL_SIZE: i32 = 44;
/** Before: inspect has `Container` and `ContainerConfig`. */
export const WITHOUT_CONTAINER_CONFIG: i32 = 45;
/** Before: `Config` has the fields that only containers use. */
export const WITHOUT_CONTAINER_FIELDS: i32 = 50;
/** Before: `Containers` in the list is -1. */
export const WITH_CONTAINER_COUNT: i32 = 51;
/** From here on, inspect leaves out empty strings and lists. */
export const WITHOUT_EMPTY_FIELDS: i32 = 52;
/** From here on, inspect has `Identity`. */
export const WITH_OWN_IDENTITY: i32 = 53;
/** From here on, `identity` is recognised. */
export const WITH_IDENTITY: i32 = 54;
