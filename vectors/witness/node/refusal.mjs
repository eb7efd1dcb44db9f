// Errors of a witness: the input is invalid, or the library cannot express the case.

/** The input is invalid. */
export class Refused extends Error {}
/** The library cannot express the case. */
export class Skipped extends Error {}

export const require = (holds, why) => {
  if (!holds) throw new Refused(why);
};
/** The value, or `Refused` if a library throws. */
export const attempt = (work) => {
  try {
    return work();
  } catch (error) {
    throw refusal(error);
  }
};
/** The same for asynchronous work. */
export const attemptLater = async (work) => {
  try {
    return await work();
  } catch (error) {
    throw refusal(error);
  }
};

const refusal = (error) =>
  error instanceof Refused || error instanceof Skipped ? error : new Refused(error.message ?? String(error));
