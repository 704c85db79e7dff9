-- Opens a graph with the plugin, and prints what came of it: a line for each fact.

vim.g.loopwright_path = os.getenv("LOOPWRIGHT")
vim.cmd("edit graph.loop")
vim.wait(20000, function()
  return #vim.diagnostic.get(0) > 0
end)
print("type " .. vim.bo.filetype)
print("comments " .. vim.bo.commentstring)
print("highlighted " .. tostring(vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil))
print("error " .. tostring(vim.treesitter.get_parser(0, "loop"):parse()[1]:root():has_error()))
for _, found in ipairs(vim.diagnostic.get(0)) do
  print("line " .. (found.lnum + 1) .. " " .. found.message)
end
vim.cmd("qa!")
