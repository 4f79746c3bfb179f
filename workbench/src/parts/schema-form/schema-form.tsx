import Form from "@rjsf/core";
import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import { Component, type ReactNode, useEffect, useMemo, useRef } from "react";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { fitForForms } from "./fit-for-forms.ts";
import { templates } from "./templates.tsx";
import { validator } from "./validator.ts";
import { BaseInputTemplate, widgets } from "./widgets.tsx";

type SchemaFormProps = {
  schema: UnknownObject;
  value: UnknownObject;
  onChange: (value: UnknownObject) => void;
  /** Prefix of the field ids, for several forms on a page. */
  idPrefix?: string;
  /** Marks every wrong field when this number changes, also those that were never touched. */
  checks?: number;
};

const looks: UiSchema<UnknownObject, RJSFSchema> = { "ui:submitButtonOptions": { norender: true } };
/** The plane fills in defaults, not the form. */
const noDefaults = {
  emptyObjectFields: "skipDefaults",
  arrayMinItems: { populate: "never" },
  constAsDefaults: "never",
} as const;

/** A form for a JSON Schema. Unsupported schemas fall back to JSON. */
export function SchemaForm({ schema, value, onChange, idPrefix = "argument", checks = 0 }: SchemaFormProps) {
  const form = useRef<Form<UnknownObject, RJSFSchema>>(null);
  useEffect(() => {
    if (checks > 0) form.current?.validateForm();
  }, [checks]);
  const shown = useMemo(() => fitForForms(withoutRootWords(schema)) as RJSFSchema, [schema]);
  return (
    <FormBoundary key={JSON.stringify(schema).length}>
      <Form<UnknownObject, RJSFSchema>
        ref={form}
        tagName="div"
        schema={shown}
        formData={value}
        validator={validator}
        templates={{ ...templates, BaseInputTemplate } as object}
        widgets={widgets}
        uiSchema={looks}
        experimental_defaultFormStateBehavior={noDefaults}
        liveValidate
        showErrorList={false}
        noHtml5Validate
        idPrefix={idPrefix}
        // Without it every mistake is an error of the console, too.
        onError={() => undefined}
        onChange={({ formData }) => onChange(withoutMissing(formData ?? {}))}
      />
    </FormBoundary>
  );
}

/** The tool's title and description are above the form already. */
function withoutRootWords({ title: _, description: __, $schema: ___, ...schema }: UnknownObject): UnknownObject {
  return { type: "object", ...schema };
}

function withoutMissing(value: UnknownObject): UnknownObject {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}

/** Some schemas have no form. */
class FormBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return <p className="text-[13px] text-muted">This schema has no form. Write the arguments as JSON.</p>;
  }
}
