import Form from "@rjsf/core";
import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import { Component, type ReactNode, useMemo } from "react";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { fitForForms } from "./fit-for-forms.ts";
import { templates } from "./templates.tsx";
import { validator } from "./validator.ts";
import { BaseInputTemplate, widgets } from "./widgets.tsx";

type SchemaFormProps = {
  schema: UnknownObject;
  value: UnknownObject;
  onChange: (value: UnknownObject) => void;
  /** What the ids of its fields begin with, where there may be several forms on a page. */
  idPrefix?: string;
};

const looks: UiSchema<UnknownObject, RJSFSchema> = { "ui:submitButtonOptions": { norender: true } };
/** What a schema says is the default is for the plane to fill in. */
const noDefaults = {
  emptyObjectFields: "skipDefaults",
  arrayMinItems: { populate: "never" },
  constAsDefaults: "never",
} as const;

/** A form for what a JSON Schema describes. What a form cannot be made of can still be written as JSON. */
export function SchemaForm({ schema, value, onChange, idPrefix = "argument" }: SchemaFormProps) {
  const shown = useMemo(() => fitForForms(withoutRootWords(schema)) as RJSFSchema, [schema]);
  return (
    <FormBoundary key={JSON.stringify(schema).length}>
      <Form<UnknownObject, RJSFSchema>
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
        onChange={({ formData }) => onChange(withoutMissing(formData ?? {}))}
      />
    </FormBoundary>
  );
}

/** The tool's own title and description stand above the form already. */
function withoutRootWords({ title: _, description: __, $schema: ___, ...schema }: UnknownObject): UnknownObject {
  return { type: "object", ...schema };
}

function withoutMissing(value: UnknownObject): UnknownObject {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}

/** Servers write schemas that no form can be made of. */
class FormBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return <p className="text-[13px] text-muted">No form can be made of this schema. Write the arguments as JSON.</p>;
  }
}
