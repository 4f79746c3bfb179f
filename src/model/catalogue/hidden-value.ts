/** Replaces a fixed value in views; when set again, the value stays. Here, because browsers load no schemas. */
export const hiddenValue = "«hidden»";
