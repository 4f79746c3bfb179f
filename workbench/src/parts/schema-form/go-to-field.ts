const controls = "input:not([type=hidden]), select, textarea, button";

/** Takes the reader to a field, or to the nearest thing around it that is drawn. */
export function goToField(idPrefix: string, path: readonly string[]): void {
  for (let length = path.length; length >= 0; length -= 1) {
    const id = [idPrefix, ...path.slice(0, length)].join("_");
    // A choice that is not made has no field yet.
    const field = document.getElementById(`${id}__choice`) ?? document.getElementById(id);
    if (field === null) continue;
    const control = field.matches(controls) ? field : field.querySelector<HTMLElement>(controls);
    control?.focus({ preventScroll: true });
    (control ?? field).scrollIntoView({ block: "center" });
    return;
  }
}
