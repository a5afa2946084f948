// A process of a function, from its start to its first answer: loads the bundle as Lambda's runtime does, hands it one
// event, and prints what time it was since the process started, and what the processor had worked by then, in
// milliseconds. Arguments: bundle, event as JSON or nothing.
const [, , file, event] = process.argv;
const { handler } = require(file);
const loaded = reading();
if (event === undefined) report(loaded);
else handler(JSON.parse(event)).then((result) => report(reading(), result));

function reading() {
  const { user, system } = process.cpuUsage();
  return { elapsed: performance.now(), processor: (user + system) / 1000 };
}

function report(answered, result) {
  console.error(JSON.stringify({ loaded, answered, status: result?.statusCode }));
  process.exit(0);
}
