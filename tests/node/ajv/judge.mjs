// Reads lines of {schema, readings} and answers each with a line of booleans, one a reading.
import { createInterface } from "node:readline";
import Ajv2020 from "ajv/dist/2020.js";

const ajv = new Ajv2020({ strict: false, addUsedSchema: false });

for await (const line of createInterface({ input: process.stdin })) {
  const { schema, readings } = JSON.parse(line);
  const validate = ajv.compile(schema);
  console.log(JSON.stringify(readings.map((reading) => validate(reading))));
}
