// More threads for calls that wait in the kernel: netlink, unmounts, removals. With libuv's default of four, none might
// be left to flush the records, which replies wait for. The number must be set before the first thread is made. Node's
// loader of ECMAScript modules makes one, so this is CommonJS, and it is loaded before everything else.
process.env.UV_THREADPOOL_SIZE ??= "16";
