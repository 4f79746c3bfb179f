import Form, { type FormProps } from "@rjsf/core";
import type { RJSFSchema } from "@rjsf/utils";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { setAt } from "./set-at.ts";

/**
 * The library's form, with each change as one of the whole value. For the change of a single field the library looks for
 * what the other fields make of it, adds empty objects there, and does not come to an end where a schema has itself in a
 * list.
 */
export class PlainForm extends Form<UnknownObject, RJSFSchema> {
  constructor(props: FormProps<UnknownObject, RJSFSchema>) {
    super(props);
    const changeAll = this.onChange;
    this.onChange = (value, path, errors, id) => {
      try {
        changeAll(setAt(this.state.formData ?? {}, path, value) as UnknownObject, [], errors, id);
      } catch (thrown) {
        // As while it is drawn: there is no form for this schema, and the page says so.
        this.setState(() => {
          throw thrown;
        });
      }
    };
  }
}
