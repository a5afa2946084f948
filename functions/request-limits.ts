// How long one request of a function to AWS may take. Without limits the SDK waits for as long as the function may run, and a function
// that is held by one service has no answer to give.

/** The options of a client's `requestHandler`. Milliseconds; without the last, the SDK only writes a warning when time is over. */
export const REQUEST_LIMITS = { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true } as const;
