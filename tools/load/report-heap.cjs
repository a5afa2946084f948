// Plain JavaScript: loaded with --require into the server under load. On SIGUSR2 it collects garbage and says what is left.
process.on("SIGUSR2", () => {
  globalThis.gc();
  process.stderr.write(`\nheap ${process.memoryUsage().heapUsed}\n`);
});
