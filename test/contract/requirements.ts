export const requirements: Readonly<Record<string, string>> = {
  "contract:error-brand": "CallgateError.is recognises an error of any copy of the package, and its code",
  "contract:canonical-json": "equal JSON values have equal canonical text, whatever the order of keys",
};
