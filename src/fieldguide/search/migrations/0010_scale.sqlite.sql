-- What makes searches of large projects quick.
SELECT 1;
