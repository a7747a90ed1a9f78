import { type RawBuilder, type SqlBool, sql } from 'kysely';

type CustomType = 'string' | 'integer' | 'float' | 'date' | 'boolean';

/**
 * A filter on a custom attribute: it has the type, and its value, or an element of it where it is an array,
 * passes the test. A `case` fixes the order: a value is only read as what its type says it is.
 * @param attribute the name, which is bound and not part of the SQL
 * @param test the condition on one JSON value
 */
export function compileCustom(
  attribute: string,
  type: CustomType,
  test: (value: RawBuilder<unknown>) => RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  const value = sql`(d.custom #> ${[attribute, 'value']}::text[])`;
  return sql<SqlBool>`case when d.custom #>> ${[attribute, 'type']}::text[] = ${type} then
    case jsonb_typeof(${value})
      when 'array' then exists (
        select from jsonb_array_elements(${value}) as element (value) where ${test(sql`element.value`)}
      )
      else ${test(value)}
    end
  end`;
}
