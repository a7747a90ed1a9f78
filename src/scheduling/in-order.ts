/**
 * Makes an action whose calls succeed in the order in which they begin: one that is done early waits for the calls before it. One
 * that fails does so at once.
 */
export function inOrder<Input, Result>(
  run: (input: Input) => Promise<Result>,
): (input: Input) => Promise<Result> {
  let earlier: Promise<unknown> = Promise.resolve();
  return async (input) => {
    const result = Promise.all([run(input), earlier]).then(([own]) => own);
    earlier = Promise.allSettled([earlier, result]);
    return result;
  };
}
