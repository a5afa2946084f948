// Runs a task for each of several things, so many at a time, in their order.

/**
 * The results in the order of the items; `undefined` for an item whose task was not begun.
 *
 * @param most tasks that are under way at a time
 * @param continues whether another task is begun after a result; what is under way then is waited for
 */
export async function atMost<Item, Result>(
  most: number,
  items: readonly Item[],
  task: (item: Item) => Promise<Result>,
  continues: (result: Result) => boolean = () => true,
): Promise<readonly (Result | undefined)[]> {
  const results: (Result | undefined)[] = items.map(() => undefined);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      const result = await task(items[at] as Item);
      results[at] = result;
      if (!continues(result)) next = items.length;
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
