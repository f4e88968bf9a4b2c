// Compares parts of the world.

/**
 * Whether two values have the same content. They consist of objects, lists and primitives. It stops at the first
 * difference, because a step may compare thousands of objects.
 */
export function equal(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && equal(one[name], other[name]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
