// A process of a function, from its start to its first answer: loads the bundle as Lambda's runtime does, hands it one
// event, and prints what time it was since the process started. Arguments: bundle, event as JSON or nothing.
const [, , file, event] = process.argv;
const began = performance.now();
const { handler } = require(file);
const loaded = performance.now();
const report = (answered, result) => {
  const { user, system } = process.cpuUsage();
  console.error(JSON.stringify({ began, loaded, answered, cpu: (user + system) / 1000, status: result?.statusCode }));
  process.exit(0);
};
if (event === undefined) report(loaded);
else handler(JSON.parse(event)).then((result) => report(performance.now(), result));
