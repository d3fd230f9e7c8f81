/** Makes the classes of the API that only hold values. */

/**
 * A class whose constructor sets the named fields from its arguments, in this order. A field that
 * is written `name=` is an empty list if it is not given.
 */
export function record(name, fields = "") {
  const places = fields.split(" ").filter(Boolean);
  return {
    [name]: class {
      constructor(...values) {
        places.forEach((place, n) => {
          const [field, list] = place.split("=");
          const value = values[n] ?? (list === "" ? [] : undefined);
          if (value !== undefined || n < values.length) this[field] = value;
        });
      }
    },
  }[name];
}
