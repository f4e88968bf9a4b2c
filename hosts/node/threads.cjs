// More threads for calls that wait in the kernel: netlink, unmounts, removals. Of libuv's usual four none may be left for
// the flush of the records, which replies wait for. Their number can only be said before the first is made, and that is
// what Node's loader of ECMAScript modules does: hence CommonJS, required before all else.
process.env.UV_THREADPOOL_SIZE ??= "16";
