// Runs calls one after the other, as a writer that is alone does.

/** The function, of which no call begins before the last one has ended. */
export function inTurn<Request, Result>(
  run: (request: Request) => Promise<Result>,
): (request: Request) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const result = last.then(() => run(request));
    last = result.catch(() => {});
    return result;
  };
}
