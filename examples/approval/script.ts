// Writes two reports, and a line about them into the README.
const { content: allowed } = await files.list_allowed_directories({});
const folder = allowed.split("\n")[1];

for (const week of [47, 48])
  await files.write_file({ path: `${folder}/reports/week-${week}.md`, content: `# Week ${week}\n` });
console.log("two reports written");

try {
  await files.write_file({ path: `${folder}/README.md`, content: "See reports/.\n" });
  console.log("README updated");
} catch (error) {
  // A refusal is an answer: the script goes on without this write.
  if (!(error instanceof ToolError) || error.code !== "CALL_APPROVAL_REJECTED") throw error;
  console.log(`README left as it was: ${error.message}`);
}
