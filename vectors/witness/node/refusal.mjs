// How a witness says that an input is wrong, or that its library cannot tell.

/** The input is wrong. */
export class Refused extends Error {}
/** The library cannot express the case. */
export class Skipped extends Error {}

export const require = (holds, why) => {
  if (!holds) throw new Refused(why);
};
/** The value, or a refusal where a library throws. */
export const attempt = (work) => {
  try {
    return work();
  } catch (error) {
    throw refusal(error);
  }
};
/** The same for work that takes its time. */
export const attemptLater = async (work) => {
  try {
    return await work();
  } catch (error) {
    throw refusal(error);
  }
};

const refusal = (error) =>
  error instanceof Refused || error instanceof Skipped ? error : new Refused(error.message ?? String(error));
