// What does each customer owe? Amounts come from one server, names from another.
const { orders: open } = await orders.list_open_orders({});
const byCustomer = Map.groupBy(open, (order) => order.customerId);

const rows = await Promise.all(
  [...byCustomer].map(async ([id, list]) => {
    const owed = list.reduce((sum, order) => sum + order.total, 0);
    try {
      const { name, country } = await customers.get_customer({ id });
      return { owed, line: `${name} (${country})` };
    } catch (error) {
      // The server's `isError` arrives as a ToolError. One customer that is gone must not lose the others' rows.
      if (!(error instanceof ToolError) || error.code !== "CALL_TOOL_ERROR") throw error;
      return { owed, line: `unknown: ${error.server} says "${error.message}"` };
    }
  }),
);

for (const { owed, line } of rows.sort((a, b) => b.owed - a.owed))
  console.log(`${owed.toFixed(2).padStart(8)}  ${line}`);
