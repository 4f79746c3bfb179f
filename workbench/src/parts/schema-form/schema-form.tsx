import { getDefaultRegistry } from "@rjsf/core";
import {
  englishStringTranslator,
  type FieldProps,
  type RegistryFieldsType,
  type RJSFSchema,
  TranslatableString,
  type UiSchema,
} from "@rjsf/utils";
import { Component, type ReactNode, useEffect, useMemo, useRef } from "react";
import { listOrEmpty, type UnknownObject } from "../../../../src/model/json.ts";
import { complete, withOnlyValues, withoutInactiveFields } from "./branches.ts";
import { checkValue, type FieldProblem } from "./check-value.ts";
import { ChoiceField } from "./choice-field.tsx";
import { fitForForms } from "./fit-for-forms.ts";
import { PlainForm } from "./plain-form.ts";
import { problemsIn } from "./problems-in.ts";
import { templates } from "./templates.tsx";
import { toErrorSchema, validatorOf } from "./validator.ts";
import { whyNoForm } from "./why-no-form.ts";
import { BaseInputTemplate, widgets } from "./widgets/widgets.tsx";

type SchemaFormProps = {
  schema: UnknownObject;
  value: UnknownObject;
  onChange: (value: UnknownObject) => void;
  /** Prefix of the field ids, for several forms on a page. */
  idPrefix?: string;
  /** Marks every wrong field when this number changes, and goes to the first. While it is 0, no field is called missing. */
  checks?: number;
  /** Why the plane refused this value. */
  refusal?: unknown;
};

const looks: UiSchema<UnknownObject, RJSFSchema> = { "ui:submitButtonOptions": { norender: true } };
/** The plane fills in defaults, not the form. */
const noDefaults = {
  emptyObjectFields: "skipDefaults",
  arrayMinItems: { populate: "never" },
  constAsDefaults: "never",
  requiredBooleanDefault: "skip",
} as const;
const fields = {
  OneOfField: ChoiceField,
  AnyOfField: ChoiceField,
  ArrayField: TupleField,
} as unknown as RegistryFieldsType<UnknownObject, RJSFSchema>;
/** A new entry of a map is empty. */
const translate: typeof englishStringTranslator = (text, parts) =>
  text === TranslatableString.NewStringDefault ? "" : englishStringTranslator(text, parts);
const noProblems: readonly FieldProblem[] = [];

/** A form for a JSON Schema. Unsupported schemas fall back to JSON. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema } = props;
  const reason = useMemo(() => whyNoForm(schema), [schema]);
  if (reason !== null) return <NoForm why={reason} />;
  return (
    <FormBoundary key={JSON.stringify(schema).length}>
      <DrawnForm {...props} />
    </FormBoundary>
  );
}

function DrawnForm(props: SchemaFormProps) {
  const { schema, value, onChange, idPrefix = "argument", checks, refusal } = props;
  const form = useRef<PlainForm>(null);
  const isFirst = useRef(false);
  isFirst.current = checks === 0;
  const validator = useMemo(() => validatorOf(() => isFirst.current), []);
  const formSchema = useMemo(() => fitForForms(withoutRootWords(schema)) as RJSFSchema, [schema]);
  const withFixed = (next: UnknownObject) => withOnlyValues(next, formSchema, formSchema);
  const change = (next: UnknownObject) =>
    onChange(
      complete(
        withoutInactiveFields(next, formSchema, formSchema),
        formSchema,
        formSchema,
      ) as UnknownObject,
    );
  // Once: what is written as JSON afterwards stays as it is written.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only for another schema
  useEffect(() => {
    if (withFixed(value) !== value) onChange(withFixed(value));
  }, [formSchema]);
  const formProblems = useMemo(() => checkValue(formSchema, value), [formSchema, value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it is asked for
  useEffect(() => {
    if (!checks) return;
    form.current?.validateForm();
    if (formProblems[0]) goToField(idPrefix, formProblems[0].path);
  }, [checks]);
  const refusalProblems = useMemo(() => problemsIn(refusal), [refusal]);
  // What the form finds itself is said in its own words.
  const planeProblems = useMemo(
    () => (formProblems.length === 0 ? refusalProblems : noProblems),
    [formProblems, refusalProblems],
  );
  useEffect(() => {
    if (planeProblems[0]) goToField(idPrefix, planeProblems[0].path);
  }, [planeProblems, idPrefix]);
  const extraErrors = useMemo(() => toErrorSchema(planeProblems), [planeProblems]);
  return (
    <PlainForm
      ref={form}
      tagName="div"
      schema={formSchema}
      formData={value}
      validator={validator}
      templates={{ ...templates, BaseInputTemplate } as object}
      widgets={widgets}
      fields={fields}
      uiSchema={looks}
      experimental_defaultFormStateBehavior={noDefaults}
      translateString={translate}
      extraErrors={extraErrors}
      liveValidate
      showErrorList={false}
      noHtml5Validate
      idPrefix={idPrefix}
      // Without it every mistake is an error of the console, too.
      onError={() => undefined}
      onChange={({ formData }) => change(formData ?? {})}
    />
  );
}

/** The tool's title and description are above the form already. */
function withoutRootWords({
  title: _,
  description: __,
  $schema: ___,
  ...schema
}: UnknownObject): UnknownObject {
  return { ...schema, type: "object" };
}

function NoForm({ why: reason = "" }: { why?: string }) {
  return (
    <p className="text-sm text-muted">
      This schema has no form. {reason} Write the arguments as JSON.
    </p>
  );
}

/** Some schemas have no form. */
class FormBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (this.state.failed) return <NoForm />;
    return this.props.children;
  }
}

const controls = "input:not([type=hidden]), select, textarea, button";

/** Takes the reader to a field, or to the nearest thing around it that is drawn. */
function goToField(idPrefix: string, path: readonly string[]): void {
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

const { ArrayField } = getDefaultRegistry().fields;

/** A list. One with a fixed number of places shows all of them, also while none is given. */
function TupleField(props: FieldProps<unknown, RJSFSchema>) {
  const { schema, formData, fieldPathId, onChange } = props;
  if (ArrayField === undefined) return null;
  if (!Array.isArray(schema.items)) return <ArrayField {...props} />;
  const givenItems = listOrEmpty(formData);
  const slots = Array.from(
    { length: Math.max(givenItems.length, schema.items.length) },
    (_, index) => givenItems[index],
  );
  const change: typeof onChange = (value, path, errors, id) => {
    const changedIndex = path.length === fieldPathId.path.length + 1 ? path.at(-1) : undefined;
    const isEmpty =
      isMissing(value) && slots.every((slot, index) => index === changedIndex || isMissing(slot));
    // With nothing in any place it is not given at all.
    if (changedIndex !== undefined && isEmpty) onChange(undefined, fieldPathId.path, errors, id);
    else onChange(value, path, errors, id);
  };
  return <ArrayField {...props} formData={slots} onChange={change} />;
}

const isMissing = (value: unknown) => value === undefined || value === null;
